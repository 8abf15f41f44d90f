import { vi } from "vitest";

/** Far longer than anything that is waited for takes, also on a machine that is busy with other tests. */
const maxMs = 30_000;

/**
 * Waits until a condition holds, and fails with what it threw last if it never does.
 *
 * @param holds throws while the condition does not hold; its result is returned
 */
export function eventually<T>(holds: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(holds, { timeout: maxMs, interval: 10 });
}

/** Waits until this is true. */
export async function untilTrue(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(async () => {
    if (!(await isTrue())) throw new Error(`This did not become true: ${isTrue}`);
  });
}
