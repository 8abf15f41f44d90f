/** Bytes to scan between two checks of the clock: about one millisecond of work. */
export const bytesPerYield = 262_144;
