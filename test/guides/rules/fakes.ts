import type { Mailer } from "./mailAfterCommit.js";
import type { Provider } from "./payment.js";
import type { SearchIndex } from "./searchIndex.js";

/** Keeps what was sent. */
export class FakeMailer implements Mailer {
  /** Whether the first mail fails. */
  readonly #fails: boolean;
  readonly sent: Parameters<Mailer["send"]>[0][] = [];
  readonly tried: string[] = [];

  constructor(fails: boolean) {
    this.#fails = fails;
  }

  async send(mail: Parameters<Mailer["send"]>[0]): Promise<void> {
    this.tried.push(mail.messageId);
    if (this.#fails && this.tried.length === 1) throw new Error("The mail server is down.");
    this.sent.push(mail);
  }
}

/** Charges each key once. Its first answer is lost. */
export class FakeProvider implements Provider {
  readonly charges = new Map<string, number>();
  readonly keys: string[] = [];

  async charge({ cents, card, idempotencyKey }: Parameters<Provider["charge"]>[0]): ReturnType<Provider["charge"]> {
    this.keys.push(idempotencyKey);
    if (card === "tok_declined") return { id: "", status: "declined" };
    if (!this.charges.has(idempotencyKey)) this.charges.set(idempotencyKey, cents);
    if (this.keys.length === 1) throw new Error("The answer was lost.");
    return { id: `charge-${[...this.charges.keys()].indexOf(idempotencyKey) + 1}`, status: "paid" };
  }
}

/** Takes a version only if it is newer. It may be down. */
export class FakeIndex implements SearchIndex {
  readonly entries = new Map<string, { readonly version: number; readonly document: unknown }>();
  isDown = false;
  /** How often it was asked. */
  calls = 0;

  async put(id: string, version: number, document: unknown): Promise<void> {
    this.#write(id, { version, document });
  }

  async remove(id: string, version: number): Promise<void> {
    this.#write(id, { version, document: undefined });
  }

  /** The documents that can be found. */
  get found(): unknown[] {
    return [...this.entries.values()].map(({ document }) => document).filter((document) => document !== undefined);
  }

  #write(id: string, entry: { readonly version: number; readonly document: unknown }): void {
    this.calls += 1;
    if (this.isDown) throw new Error("The index is down.");
    if (entry.version > (this.entries.get(id)?.version ?? 0)) this.entries.set(id, entry);
  }
}
