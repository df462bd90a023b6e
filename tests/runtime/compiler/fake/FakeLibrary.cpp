// What a compiler is linked with. Only that it is there counts.
extern "C" int kilnFakeLibrary() { return 1; }
