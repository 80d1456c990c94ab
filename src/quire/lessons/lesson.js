"use strict";
(function () {
  const root = document.documentElement;
  root.dataset.js = "";
  const byId = (name) => document.getElementById(name);
  const stage = byId("stage"), player = byId("player"), slider = byId("slider");
  const play = byId("play"), said = byId("said");
  const fields = Array.from(document.querySelectorAll(".setting"));
  const names = fields.map((field) => field.querySelector("input").name);
  const runs = { [stage.dataset.run]: Array.from(stage.children) };
  for (const one of document.querySelectorAll("template[data-run]")) {
    runs[one.dataset.run] = one;
  }
  let steps = runs[stage.dataset.run], now = 0, timer = null;

  function key() {
    return fields.map((field) => field.querySelector("input:checked").value).join(",");
  }

  function stepsOf(name) {
    if (!Array.isArray(runs[name])) {
      runs[name] = Array.from(document.importNode(runs[name].content, true).children);
    }
    return runs[name];
  }

  function address() {
    const parts = ["step=" + (now + 1)];
    fields.forEach(function (field, k) {
      const label = field.querySelector("input:checked").parentNode.textContent.trim();
      parts.push(names[k] + "=" + encodeURIComponent(label));
    });
    return "#" + parts.join("&");
  }

  function show(place, quiet) {
    now = Math.max(0, Math.min(steps.length - 1, place));
    steps.forEach((step, k) => step.classList.toggle("current", k === now));
    slider.max = steps.length;
    slider.value = now + 1;
    const step = steps[now];
    const text = (part) => step.querySelector(part).textContent;
    slider.setAttribute("aria-valuetext", text("h3"));
    for (const name of ["first", "back"]) byId(name).setAttribute("aria-disabled", now === 0);
    for (const name of ["next", "last"]) {
      byId(name).setAttribute("aria-disabled", now === steps.length - 1);
    }
    if (quiet) return;
    said.textContent = text("h3") + ". " + text(".caption");
    try {
      history.replaceState(null, "", address());
    } catch (error) {
      // a frame of a notebook has no address of its own
    }
  }

  function choose(quiet) {
    const name = key();
    if (stage.dataset.run !== name) {
      steps = stepsOf(name);
      stage.dataset.run = name;
      stage.replaceChildren(...steps);
    }
    for (const row of document.querySelectorAll("#changes tr[data-run]")) {
      row.classList.toggle("chosen", row.dataset.run === name);
    }
    show(now, quiet);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }

  function toggle() {
    if (timer) return stop();
    if (now === steps.length - 1) show(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(function () {
      show(now + 1);
      if (now === steps.length - 1) stop();
    }, steps.length > 15 ? 600 : 1500);
  }

  function go(place) {
    stop();
    show(place);
  }

  function read() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!wanted.has("step")) return false;
    fields.forEach(function (field, k) {
      for (const input of field.querySelectorAll("input")) {
        if (input.parentNode.textContent.trim() === wanted.get(names[k])) input.checked = true;
      }
    });
    now = (parseInt(wanted.get("step"), 10) || 1) - 1;
    choose(true);
    return true;
  }

  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => go(now - 1));
  byId("next").addEventListener("click", () => go(now + 1));
  byId("last").addEventListener("click", () => go(steps.length - 1));
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => go(Number(slider.value) - 1));
  fields.forEach((field) => field.addEventListener("change", () => choose(false)));
  window.addEventListener("hashchange", read);

  document.addEventListener("keydown", function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = event.target;
    if (at.closest && at.closest("input, select, textarea")) return;
    const box = at.closest && at.closest(".box, pre, .formula");
    if (box && box.scrollWidth > box.clientWidth) return;
    const isInside = at.closest && at.closest("#player");
    if (event.key === "ArrowRight") go(now + 1);
    else if (event.key === "ArrowLeft") go(now - 1);
    else if (event.key === "Home" && isInside) go(0);
    else if (event.key === "End" && isInside) go(steps.length - 1);
    else if (event.key === " " && at === stage) toggle();
    else return;
    event.preventDefault();
  });

  let touched = null;
  stage.addEventListener("touchstart", function (event) {
    const one = event.touches[0];
    const box = event.target.closest(".box");
    const scrolls = box && box.scrollWidth > box.clientWidth;
    touched = event.touches.length === 1 && !scrolls ? [one.clientX, one.clientY] : null;
  }, { passive: true });
  stage.addEventListener("touchend", function (event) {
    if (!touched) return;
    const one = event.changedTouches[0];
    const across = one.clientX - touched[0], down = one.clientY - touched[1];
    touched = null;
    if (Math.abs(across) < 40 || Math.abs(down) > Math.abs(across) / 2) return;
    go(across < 0 ? now + 1 : now - 1);
  });

  if (!read()) choose(true);
})();
