/** A payment provider's answer to a charge. */
export interface Charge {
  readonly id: string;
  readonly status: "succeeded";
}

/** Simulates a payment provider: like real ones it charges once for each operation id, however often it is called. */
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
