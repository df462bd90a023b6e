// A library that the fake compiler loads. Its contents do not matter.
extern "C" int kilnFakeLibrary() { return 1; }
