import { requireAwaited, transactionEnded } from "../../../../src/ground/storage/insideTransaction.js";

/** Names of savepoints and cursors. No two have the same: what belongs to an ended transaction cannot hit that of another one, whichever connection it comes to. */
let names = 0;

export function uniqueName(kind: "nested" | "stream"): string {
  names += 1;
  return `${kind}_${names}`;
}

/**
 * A transaction on a connection, or one that is nested in it. It decides which statement may reach the connection.
 *
 * Statements and nested transactions of a level take turns, in the order of their arrival. A nested transaction has its turn until it ends: the statements of the level
 * around it would otherwise be undone with it. So at any time only the innermost level has the connection. The end of a level closes all levels within it.
 */
export class TransactionLevel {
  readonly #execute: (text: string) => unknown;
  readonly #outer: TransactionLevel | undefined;
  #isOpen = true;
  /** Settles after the last turn; `undefined` while there is none. */
  #turns: Promise<void> | undefined;
  /** The nested transactions that run or wait. */
  #nests = 0;
  #nested: TransactionLevel | undefined;
  #broken: { readonly error: unknown } | undefined;

  /** @param execute runs a text without values on the connection */
  constructor(execute: (text: string) => unknown, outer?: TransactionLevel) {
    this.#execute = execute;
    this.#outer = outer;
  }

  /** Whether `fail` was called on any level of the transaction. */
  get isBroken(): boolean {
    return this.#broken !== undefined || this.#outer?.isBroken === true;
  }

  /** Refuses all further statements of the whole transaction, and its commit, with this error. */
  fail(error: unknown): void {
    if (this.#outer === undefined) this.#broken ??= { error };
    else this.#outer.fail(error);
  }

  /** Runs `work` when it is its turn: at once, if nothing else runs. @throws {ConfigurationError} if the level has ended by then */
  turn<R>(work: () => R | Promise<R>): R | Promise<R> {
    const now = () => {
      this.#requireOpen();
      return work();
    };
    const result = this.#turns === undefined ? now() : this.#turns.then(now);
    if (!(result instanceof Promise)) return result;
    const ended: Promise<void> = result.then(nothing, nothing).then(() => {
      if (this.#turns === ended) this.#turns = undefined;
    });
    this.#turns = ended;
    return result;
  }

  /** Runs `run` as a nested transaction: what it did is undone if it throws, or if this level ends before it. */
  async nest<R>(run: (level: TransactionLevel) => Promise<R>): Promise<R> {
    this.#nests += 1;
    try {
      return await this.turn(() => this.#savepoint(run));
    } finally {
      this.#nests -= 1;
    }
  }

  async #savepoint<R>(run: (level: TransactionLevel) => Promise<R>): Promise<R> {
    const name = uniqueName("nested");
    await this.#execute(`savepoint ${name}`);
    try {
      this.#requireOpen();
      this.#nested = new TransactionLevel(this.#execute, this);
      const result = await this.#nested.run(run);
      await this.#execute(`release ${name}`);
      return result;
    } catch (error) {
      await this.#undo(name);
      throw error;
    }
  }

  /** Does nothing if this level has ended meanwhile: its own end has undone the savepoint, and its connection may be that of another transaction. */
  async #undo(name: string): Promise<void> {
    if (this.#refusal() !== undefined) return;
    try {
      await this.#execute(`rollback to ${name}; release ${name}`);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Runs the function of this level, and closes the level: later statements are refused. Ends when nothing of the level reaches the connection any more.
   *
   * @throws what `run` throws; {ConfigurationError} if it has not awaited a nested transaction, or if the transaction has ended before it
   */
  async run<R>(run: (level: TransactionLevel) => Promise<R>): Promise<R> {
    let result: R;
    try {
      result = await run(this);
      requireAwaited(this.#nests);
    } finally {
      await this.#close();
      if (this.#outer !== undefined) this.#outer.#nested = undefined;
    }
    if (this.#outer !== undefined) this.#outer.#requireOpen();
    if (this.#broken !== undefined) throw this.#broken.error;
    return result;
  }

  /** Waits for the statement that runs now, not for functions: what those call later is refused. */
  async #close(): Promise<void> {
    this.#isOpen = false;
    let innermost: TransactionLevel = this;
    while (innermost.#nested !== undefined) innermost = innermost.#nested;
    await innermost.#turns;
  }

  #requireOpen(): void {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal.error;
  }

  /** Why nothing of this level may reach the connection: it has ended, one around it has, or the transaction is broken. */
  #refusal(): { readonly error: unknown } | undefined {
    for (let level: TransactionLevel | undefined = this; level !== undefined; level = level.#outer) {
      if (!level.#isOpen) return { error: transactionEnded() };
      if (level.#broken !== undefined) return level.#broken;
    }
    return undefined;
  }
}

function nothing(): void {}
