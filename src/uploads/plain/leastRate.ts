import type { MinimumRate } from "../../http/minimumRate.js";

/** Least of a body in a second, once it has been waited for for a minute. */
export const leastRate: Pick<MinimumRate, "bytesPerSecond" | "afterMs"> = { bytesPerSecond: 1_024, afterMs: 60_000 };
