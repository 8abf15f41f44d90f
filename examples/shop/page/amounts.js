/** The speed is measured over this time. */
const speedSpanMs = 4_000;
/** Before this time no speed is known. */
const minSpanMs = 400;

const unit = (name, maximumFractionDigits, unitDisplay = "short") =>
  new Intl.NumberFormat(undefined, { style: "unit", unit: name, unitDisplay, maximumFractionDigits });

/** Per unit: the least amount that is written in it (what the smaller unit would round up to one of it), its size, and its format. */
const sizes = [
  [999.95e6, 1e9, unit("gigabyte", 2)],
  [999.5e3, 1e6, unit("megabyte", 1)],
  [999.5, 1e3, unit("kilobyte", 0)],
  [0, 1, unit("byte", 0, "long")],
];
const times = [
  [59.5 * 60, 3_600, unit("hour", 1)],
  [59.5, 60, unit("minute", 0)],
  [0, 1, unit("second", 0)],
];
const percent = new Intl.NumberFormat(undefined, { style: "percent" });

const written = (units, amount) => {
  const [, size, format] = units.find(([least]) => amount >= least);
  return format.format(amount / size);
};

/** A number of bytes: `2.4 MB`. */
export const bytesText = (bytes) => written(sizes, bytes);

/** A time: `3 min`. */
export const timeText = (seconds) => written(times, seconds);

/** Part of a whole: `42%`. Not 100% before it is whole. */
export const percentText = (part, whole) => percent.format(whole === 0 ? 1 : Math.floor((100 * part) / whole) / 100);

/** Returns a function of the amount that is done now, which returns the amount in a second; `undefined` as long as it is not known. */
export function speedometer() {
  let points = [];
  return (amount) => {
    const nowMs = performance.now();
    points.push({ amount, atMs: nowMs });
    const isOld = ({ atMs }) => nowMs - atMs > speedSpanMs;
    // One point that is older stays, so that two points are left when steps are rare.
    while (points.length > 2 && isOld(points[1])) points = points.slice(1);
    const [first] = points;
    const spanMs = nowMs - first.atMs;
    return spanMs < minSpanMs || amount <= first.amount ? undefined : ((amount - first.amount) * 1_000) / spanMs;
  };
}

/** What is sent of a whole, at which speed, and how long the rest takes: `42% · 3.4 MB of 8 MB · 2 MB/s · 3 sec left`. */
export function sentText(sentBytes, totalBytes, bytesPerSecond) {
  const parts = [percentText(sentBytes, totalBytes), `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`];
  if (bytesPerSecond !== undefined && sentBytes < totalBytes) {
    parts.push(`${bytesText(bytesPerSecond)}/s`, `${timeText(Math.max(1, (totalBytes - sentBytes) / bytesPerSecond))} left`);
  }
  return parts.join(" · ");
}
