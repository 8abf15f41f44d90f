/**
 * How far a time zone is ahead of UTC, in milliseconds, at an instant in milliseconds since 1970.
 *
 * @throws {RangeError} for an unknown time zone
 */
export function zoneOffsets(timeZone: string): (instantMs: number) => number {
  const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", era: "short", ...parts });
  return (instantMs) => {
    const parts = new Map(format.formatToParts(instantMs).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
    const year = parts.get("era")?.startsWith("B") ? 1 - part("year") : part("year");
    const local = new Date(0);
    local.setUTCFullYear(year, part("month") - 1, part("day"));
    local.setUTCHours(part("hour"), part("minute"), part("second"));
    return local.getTime() - Math.floor(instantMs / 1_000) * 1_000;
  };
}
