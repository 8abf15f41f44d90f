const brand = Symbol.for("restwright.jobs.LeaseLost");

/** Another worker has taken the job over, or this one has given it back: what is under way must leave no trace. */
export class LeaseLost extends Error {
  readonly [brand] = true;
  override readonly name = "LeaseLost";

  /** @param id of the job */
  constructor(id: string) {
    super(`The job "${id}" is no longer this worker's.`);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
