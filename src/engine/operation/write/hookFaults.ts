const faults = new WeakSet<object>();

/** Notes that an error is a fault of a hook and not of the row or the store: nothing that the client sent would help. */
export function noteHookFault(error: unknown): unknown {
  const fault = typeof error === "object" && error !== null ? error : new Error("A hook threw a value that is no error.", { cause: error });
  faults.add(fault);
  return fault;
}

/** Whether a hook failed, other than by refusing the write with a problem. */
export function isHookFault(error: unknown): boolean {
  return typeof error === "object" && error !== null && faults.has(error);
}
