/** The most statements per cache. More would mean that texts are not reused. */
const capacity = 256;

/** Keeps the most recently prepared statements by their text. */
export class StatementCache<S> {
  readonly #statements = new Map<string, S>();
  readonly #prepare: (text: string) => S;

  constructor(prepare: (text: string) => S) {
    this.#prepare = prepare;
  }

  /** Runs `use` with the statement. Removes a statement that fails: in libsql its next use would fail again. */
  with<R>(text: string, use: (statement: S) => R): R {
    const statement = this.#statements.get(text) ?? this.#add(text);
    try {
      return use(statement);
    } catch (error) {
      this.#statements.delete(text);
      throw error;
    }
  }

  /** Removes the statement of a text. */
  forget(text: string): void {
    this.#statements.delete(text);
  }

  #add(text: string): S {
    const statement = this.#prepare(text);
    if (this.#statements.size >= capacity) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(text, statement);
    return statement;
  }
}
