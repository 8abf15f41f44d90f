/** What a payment provider says of a charge. */
export interface Charge {
  readonly id: string;
  readonly status: "succeeded";
}

/** Stands for a payment provider: like real ones it takes one charge an operation id, however often it is asked. */
export class PaymentProvider {
  readonly #charges = new Map<string, Charge>();

  async charge(operationId: string, signal: AbortSignal): Promise<Charge> {
    signal.throwIfAborted();
    const known = this.#charges.get(operationId);
    if (known !== undefined) return known;
    const charge: Charge = { id: `ch_${this.#charges.size + 1}`, status: "succeeded" };
    this.#charges.set(operationId, charge);
    return charge;
  }
}
