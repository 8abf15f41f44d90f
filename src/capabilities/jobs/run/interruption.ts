const brand = Symbol.for("restwright.jobs.JobInterrupted");

/** The reason of a job's aborted signal while the worker still holds the lease. */
export class JobInterrupted extends Error {
  readonly [brand] = true;
  override readonly name = "JobInterrupted";
  /** `canceled`: a client has canceled the job; `closing`: the service closes, and another worker continues at the cursor. */
  readonly why: "canceled" | "closing";

  constructor(why: "canceled" | "closing") {
    super(why === "canceled" ? "The job was canceled." : "The service is closing.");
    this.why = why;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
