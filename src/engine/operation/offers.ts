/** A typed key for what one part of a service offers to the others. */
export interface Offer<T> {
  /** Of the capability, or of what the service offers; unique in a service. */
  readonly name: string;
  /** Never set; it only carries the type. */
  readonly type?: (value: T) => T;
}

/** What the capabilities of a service, and the service itself, offer to each other. */
export interface Offers {
  /** @returns `undefined` if the service does not use the capability */
  get<T>(offer: Offer<T>): T | undefined;
  /**
   * What several capabilities use together: made for the first that asks, under a name of its own. If it has a method `close`, the service calls that after all capabilities have closed, and
   * before the storage does.
   */
  share<T extends object>(offer: Offer<T>, make: () => T): T;
}
