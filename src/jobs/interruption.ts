const brand = Symbol.for("restwright.jobs.JobInterrupted");

/** Why the signal of a job has ended while its lease is still held. */
export class JobInterrupted extends Error {
  readonly [brand] = true;
  override readonly name = "JobInterrupted";
  /** `canceled`: somebody wants the job to end for good; `closing`: the service ends, and another worker goes on at the cursor. */
  readonly why: "canceled" | "closing";

  constructor(why: "canceled" | "closing") {
    super(why === "canceled" ? "The job was canceled." : "The service is closing.");
    this.why = why;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
