import { readFileSync } from "node:fs";

let known: { readonly id: string | undefined } | undefined;

/**
 * Identifies the current start of the system; `undefined` if the system does not say. While it is the same, a file has all bytes that any process has written to it. After a
 * power cut it may have zeros instead, even below its size.
 *
 * @see proc_sys_kernel(5), random/boot_id
 */
export function bootId(): string | undefined {
  known ??= { id: readBootId() };
  return known.id;
}

function readBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim() || undefined;
  } catch {
    return undefined;
  }
}
