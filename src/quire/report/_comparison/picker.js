"use strict";
(function () {
  const lists = document.querySelectorAll("select.pick");
  if (lists.length) document.documentElement.dataset.js = "";
  for (const list of lists) {
    const all = document.querySelectorAll(list.dataset.among);
    list.addEventListener("change", function () {
      const one = list.value === "" ? null : list.selectedOptions[0].textContent;
      for (const part of all) {
        part.hidden = one !== null && part.dataset.is !== one && part.dataset.or !== one;
        const fold = part.closest("details");
        if (fold && one !== null && !part.hidden) fold.open = true;
      }
      for (const fold of new Set(Array.from(all, (part) => part.closest("details")))) {
        if (fold) fold.hidden = Array.from(all).every((part) => part.hidden || !fold.contains(part));
      }
    });
  }
})();
