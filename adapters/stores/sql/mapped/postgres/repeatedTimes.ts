import { lastInstantMs } from "../../../../../src/ground/storage/values/exactDate.js";
import { zoneOffsets } from "../../../../../src/ground/storage/values/zoneOffsets.js";

const dayMs = 86_400_000;

const zones = new Map<string, (instant: Date) => Date | undefined>();

/**
 * Finds the instants whose local time comes again when the clock of a zone goes back. PostgreSQL reads such a local time as the later of the two, so that a column with local
 * times cannot hold the earlier one. This is about filters only, since it asks the time zones of Node.js: what is written is decided by those of PostgreSQL.
 *
 * @returns of such an instant, the local time at which the repetition begins, as if it were UTC
 */
export function repeatedTimes(zone: string): (instant: Date) => Date | undefined {
  const found = zones.get(zone) ?? startOfRepetition(zoneOffsets(zone));
  zones.set(zone, found);
  return found;
}

/** A clock goes back by a day at most, as where the date line was moved, and not twice within a day. */
function startOfRepetition(offset: (instantMs: number) => number): (instant: Date) => Date | undefined {
  return (instant) => {
    const ms = Math.floor(instant.getTime() / 1_000) * 1_000;
    const before = offset(ms);
    let end = Math.min(ms + dayMs, lastInstantMs);
    if (offset(end) >= before) return undefined;
    for (let start = ms; end - start > 1_000; ) {
      const middle = Math.floor((start + end) / 2_000) * 1_000;
      if (offset(middle) === before) start = middle;
      else end = middle;
    }
    const after = offset(end);
    return ms + before - after >= end ? new Date(end + after) : undefined;
  };
}
