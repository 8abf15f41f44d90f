/** A charge as the payment provider stores it. */
export interface Charge {
  readonly id: string;
  readonly amount: number;
}

/** A payment provider with idempotency keys of its own, like real ones. */
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
