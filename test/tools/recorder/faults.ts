const key = Symbol.for("restwright.recorder");

interface Shared {
  /** What answers had that no document says, since the last test. */
  readonly faults: Set<string>;
  /** Comparisons that are under way. */
  readonly comparisons: Set<Promise<void>>;
}

const holder = globalThis as { [key]?: Shared };

/** The same in every copy of this module. */
export const shared: Shared = holder[key] ?? { faults: new Set(), comparisons: new Set() };
holder[key] = shared;

/** Forgets what the answers until now had that no document says, in a test that causes it on purpose. */
export async function forgetFaults(): Promise<void> {
  await Promise.all(shared.comparisons);
  shared.faults.clear();
}
