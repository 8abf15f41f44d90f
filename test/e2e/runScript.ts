/**
 * Runs a script and removes what it has left, also after an error and if the process is told to end. The process exits with 1 unless everything was as it should be.
 *
 * @param work whether everything was as it should be
 */
export async function runScript(work: () => Promise<boolean>, remove: () => Promise<unknown>): Promise<void> {
  for (const [signal, status] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => void remove().finally(() => process.exit(status)));
  }
  try {
    process.exitCode = (await work()) ? 0 : 1;
  } finally {
    await remove();
  }
}

/** A deadline of everything that a script waits for. */
export interface Deadline {
  /** @throws {Error} once the deadline is over, with what is missing */
  check(missing: string): void;
}

export function deadlineIn(seconds: number): Deadline {
  const endMs = performance.now() + 1_000 * seconds;
  return {
    check(missing) {
      if (performance.now() > endMs) throw new Error(`After ${seconds} s ${missing}.`);
    },
  };
}
