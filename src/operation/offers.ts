/** A typed key for what one capability of a service offers to the others. */
export interface Offer<T> {
  /** Name of the capability. */
  readonly name: string;
  /** Never set; it only carries the type. */
  readonly type?: (value: T) => T;
}

/** What the capabilities of a service offer to each other. */
export interface Offers {
  /** @returns `undefined` if the service does not use the capability */
  get<T>(offer: Offer<T>): T | undefined;
}
