# What users get: libkiln, its .icd file, and the three compilers. No headers: the API is OpenCL's own.
