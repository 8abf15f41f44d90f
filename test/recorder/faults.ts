const key = Symbol.for("restwright.recorder.faults");
const shared = globalThis as { [key]?: Set<string> };

/** What answers had that no document says, since the last test. The same set in every copy of this module. */
export const faults: Set<string> = shared[key] ?? new Set();
shared[key] = faults;
