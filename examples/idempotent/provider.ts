/** A charge as the payment provider has it. */
export interface Charge {
  readonly id: string;
  readonly amount: number;
}

/** A payment provider that remembers its own idempotency keys, as real ones do. */
export class Provider {
  readonly charges = new Map<string, Charge>();

  /** Charges a card, once for each key. */
  async charge(amount: number, idempotencyKey: string): Promise<Charge> {
    const known = this.charges.get(idempotencyKey);
    if (known !== undefined) return known;
    const charge = { id: `ch_${this.charges.size + 1}`, amount };
    this.charges.set(idempotencyKey, charge);
    return charge;
  }
}
