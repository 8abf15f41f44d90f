import type { WakeupListener, Wakeups } from "../../../../../../src/ground/storage/wakeups.js";
import { payloadsOf, topicsOf } from "../../../../wakeupPayloads.js";
import type { PostgresPool } from "../postgresPool.js";
import type { ConnectionUse, KeptConnection } from "./keptConnection.js";
import { isAnswer, type Notification, type OwnConnection, within } from "./ownConnection.js";

/** The channel of all services on one database. */
const channel = "restwright";
/** PostgreSQL refuses payloads of 8,000 bytes. */
const maxPayloadBytes = 7_900;
/** A connection that has not answered for this long is given up, in milliseconds. */
const answerMs = 2_000;
/** A message need not survive a crash of the server, so that it need not wait for the disk. */
const notify = "select pg_notify($1, $2), set_config('synchronous_commit', 'off', true)";

interface Listener {
  run(topics: readonly string[]): void;
  changed(isConnected: boolean): void;
}

/** Wake-ups by LISTEN and NOTIFY, on the connection of a process beside its pool. */
export class PostgresWakeups implements Wakeups, ConnectionUse {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #connection: KeptConnection;
  readonly #listeners = new Set<Listener>();
  /** The connection that listens. */
  #listening: OwnConnection | undefined;
  /** The last connection whose messages are passed on. */
  #passedOn: OwnConnection | undefined;

  readonly #isAlone: boolean;

  /** @param isAlone whether the connection serves nothing else, so that it ends with the last listener */
  constructor(pool: () => Promise<PostgresPool>, connection: KeptConnection, { isAlone = false }: { readonly isAlone?: boolean } = {}) {
    this.#pool = pool;
    this.#connection = connection;
    this.#isAlone = isAlone;
    connection.add(this);
  }

  async send(topics: readonly string[]): Promise<void> {
    for (const payload of payloadsOf(topics, maxPayloadBytes)) await this.#notify(payload);
  }

  async listen(run: Listener["run"], changed: Listener["changed"] = () => {}): Promise<WakeupListener> {
    const listener = { run, changed };
    this.#listeners.add(listener);
    const { current } = this.#connection;
    if (current === undefined) await this.#connection.open();
    else if (this.#listening !== current) await within(answerMs, this.begin(current)).catch(() => {});
    if (this.#listening === undefined) changed(false);
    this.#connection.keep();
    return {
      close: async () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) await this.#end();
      },
    };
  }

  async #end(): Promise<void> {
    const unlistened = this.#listening;
    this.#listening = undefined;
    if (this.#isAlone) await this.#connection.release();
    else await unlistened?.query({ text: `unlisten ${channel}` }).catch(() => {});
  }

  /** Listens on a new connection. A standby refuses that: then there are only polls. */
  async begin(connection: OwnConnection): Promise<void> {
    if (this.#listeners.size === 0) return;
    if (this.#passedOn !== connection) connection.on("notification", (message) => this.#passOn(message));
    this.#passedOn = connection;
    try {
      await connection.query({ text: `listen ${channel}` });
    } catch (error) {
      if (isAnswer(error)) return;
      throw error;
    }
    this.#listening = connection;
    this.#tell(true);
  }

  lost(): void {
    this.#listening = undefined;
    this.#tell(false);
  }

  /** A process has ended, perhaps between a commit and its message. */
  missed(): void {
    if (this.#listening !== undefined) this.#tell(true);
  }

  /** On the own connection, so that it waits for none of the pool. A connection that does not answer is deaf too. */
  async #notify(payload: string): Promise<void> {
    const query = { text: notify, values: [channel, payload] };
    const { current } = this.#connection;
    if (current === undefined) {
      if (!this.#isAlone) this.#connection.keep();
      return void (await (await this.#pool()).query(query));
    }
    try {
      // The server need not plan it each time. In a pool it would do so for each connection.
      await within(answerMs, current.query({ name: "restwright_notify", ...query }));
    } catch (error) {
      if (!isAnswer(error)) this.#connection.lose(current);
      throw error;
    }
  }

  #passOn({ channel: name, payload = "" }: Notification): void {
    if (name !== channel) return;
    const topics = topicsOf(payload);
    for (const { run } of this.#listeners) run(topics);
  }

  #tell(isConnected: boolean): void {
    for (const { changed } of this.#listeners) changed(isConnected);
  }
}
