/** What a round moves, and how figures of it are told; of microseconds a round. */
export interface Quantity {
  readonly unit: string;
  figure(microseconds: number): number;
  readonly speedUnit: string;
  speed(microseconds: number): number;
}

export function quantityOfBytes(bytes: number): Quantity {
  return {
    unit: "ms a GiB",
    figure: (microseconds) => microseconds / 1_000 / (bytes / 1_073_741_824),
    speedUnit: "MiB/s",
    speed: (microseconds) => bytes / 1_048_576 / (microseconds / 1_000_000),
  };
}

export function quantityOfForms(forms: number): Quantity {
  return {
    unit: "µs a form",
    figure: (microseconds) => microseconds / forms,
    speedUnit: "forms/s",
    speed: (microseconds) => forms / (microseconds / 1_000_000),
  };
}
