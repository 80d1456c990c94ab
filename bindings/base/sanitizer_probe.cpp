// Mistakes on purpose, in the build with sanitizers and nowhere else: a test calls them and looks
// whether the reports say what went wrong, in which function and on which line.
#ifdef QUIRE_SANITIZED

#include <vector>

extern "C" __attribute__((visibility("default"))) int quire_read_beside(int place) {
    const std::vector<int> numbers(4, 1);
    return numbers.data()[place];
}

extern "C" __attribute__((visibility("default"))) int quire_add_beyond(int number) {
    return number + 2147483647;
}

#endif
