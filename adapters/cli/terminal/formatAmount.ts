/** `1234567` → `1,234,567`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** Bytes in powers of 1,000: `1234567` → `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let power = 0;
  while (value >= 999.5 && power < units.length - 1) {
    value /= 1_000;
    power += 1;
  }
  return `${power === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** `3725` seconds → `1 h 2 min`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${formatCount(Math.floor(whole / 3_600))} h ${Math.floor((whole % 3_600) / 60)} min`;
}
