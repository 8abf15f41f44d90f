/** Statements per kind and connection; more would be texts that differ by chance. */
const capacity = 256;

/** Keeps prepared statements by their text, the most recently prepared ones. */
export class StatementCache<S> {
  readonly #statements = new Map<string, S>();
  readonly #prepare: (text: string) => S;

  constructor(prepare: (text: string) => S) {
    this.#prepare = prepare;
  }

  /** Runs `use` with the statement. One that fails is forgotten: libsql's would fail once more when it is used next. */
  with<R>(text: string, use: (statement: S) => R): R {
    const statement = this.#statements.get(text) ?? this.#add(text);
    try {
      return use(statement);
    } catch (error) {
      this.#statements.delete(text);
      throw error;
    }
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
