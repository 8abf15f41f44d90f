/** The last instant of a `Date`, in milliseconds since 1970; the first one is as far before. */
export const lastInstantMs = 8_640_000_000_000_000;

/** A date that remembers the microseconds of the column that it was read from. It is shown in milliseconds. */
export class ExactDate extends Date {
  /** 0 to 999, after its milliseconds. */
  readonly micros: number;

  constructor(ms: number, micros: number) {
    super(ms);
    this.micros = micros;
  }
}

/** The microseconds of a date after its milliseconds; `undefined` if it stands for its whole millisecond. */
export function microsOf(date: Date): number | undefined {
  return (date as Partial<ExactDate>).micros;
}
