import type { UploadRecord } from "../../../ground/storage/files/uploads.js";
import { maxSilenceMs } from "../resumable/preemptWriter.js";

/** Upper bound for the clock difference of two machines: a record that is overdue for longer belongs to a dead process. */
const overdueMs = 60_000;
/** An entry that was not queried for this long is removed. */
const forgottenMs = 60_000;

interface Seen {
  readonly version: number;
  readonly sinceMs: number;
  readonly askedMs: number;
}

/**
 * Detects whether a process is still finishing an upload. Such a process updates the record once a second, so a record that does not change for three seconds
 * belongs to a process that died. Clocks of different machines are not compared.
 */
export class HeartbeatWatch {
  /** Uploads that this process is finishing. */
  readonly #own = new Set<string>();
  readonly #seen = new Map<string, Seen>();

  begin(id: string): void {
    this.#own.add(id);
  }

  end(id: string): void {
    this.#own.delete(id);
  }

  /** Whether the record has been silent long enough to conclude that no process is finishing the upload. Call again later if `false`. */
  isSilent({ id, version, dueAt }: UploadRecord, nowMs: number): boolean {
    if (this.#own.has(id) || dueAt === undefined || dueAt.getTime() > nowMs) return false;
    if (nowMs - dueAt.getTime() >= overdueMs) return true;
    const before = this.#seen.get(id);
    const sinceMs = before?.version === version ? before.sinceMs : nowMs;
    for (const [known, { askedMs }] of this.#seen) if (nowMs - askedMs > forgottenMs) this.#seen.delete(known);
    this.#seen.set(id, { version, sinceMs, askedMs: nowMs });
    return nowMs - sinceMs >= maxSilenceMs;
  }
}
