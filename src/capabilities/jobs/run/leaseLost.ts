const brand = Symbol.for("restwright.jobs.LeaseLost");

/** Thrown if another worker has taken over the job, or this one has released it: running work must not commit. */
export class LeaseLost extends Error {
  readonly [brand] = true;
  override readonly name = "LeaseLost";

  /** @param id of the job */
  constructor(id: string) {
    super(`The job "${id}" is no longer leased by this worker.`);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
