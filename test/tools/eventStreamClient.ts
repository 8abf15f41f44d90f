/** An event of a stream. */
export interface Told {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
  readonly id?: string | undefined;
}

/** A client of a stream that keeps what it was told. */
export class EventStreamClient {
  readonly told: Told[] = [];
  /** As the browser keeps it. */
  lastId: string | undefined;
  status = 0;
  problem: unknown;
  isEnded = false;
  readonly headers: Headers;
  readonly #abort = new AbortController();
  #heard: (() => void)[] = [];

  private constructor(response: Response) {
    this.status = response.status;
    this.headers = response.headers;
  }

  /** @param token `null` for no credentials in a header, as `EventSource` sends none */
  static async connect(
    url: string,
    { token = "admin", after }: { readonly token?: string | null; readonly after?: string | undefined } = {},
  ): Promise<EventStreamClient> {
    const abort = new AbortController();
    const credentials: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const headers = { accept: "text/event-stream", ...credentials, ...(after === undefined ? {} : { "last-event-id": after }) };
    const response = await fetch(url, { headers, signal: abort.signal });
    const client = new EventStreamClient(response);
    client.lastId = after;
    client.#abort.signal.addEventListener("abort", () => abort.abort());
    if (response.status === 200) void client.#read(response);
    else client.problem = await response.json();
    return client;
  }

  /** Cuts the connection. */
  cut(): void {
    this.#abort.abort();
  }

  /** Waits until something was told. */
  async until(condition: (told: readonly Told[]) => boolean, ms = 10_000): Promise<readonly Told[]> {
    const timeout = setTimeout(() => this.#wake(), ms);
    const endsAt = Date.now() + ms;
    try {
      while (!condition(this.told)) {
        if (Date.now() >= endsAt) throw new Error(`Not told in time: ${JSON.stringify(this.told)}`);
        await new Promise<void>((resolve) => this.#heard.push(resolve));
      }
      return this.told;
    } finally {
      clearTimeout(timeout);
    }
  }

  async #read(response: Response): Promise<void> {
    let text = "";
    try {
      for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        text += chunk;
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
          this.#take(text.slice(0, end));
          text = text.slice(end + 2);
        }
      }
    } catch {
      // The test has cut it.
    }
    this.isEnded = true;
    this.#wake();
  }

  #take(block: string): void {
    const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    const id = fields.get("id");
    if (id !== undefined) this.lastId = id;
    const data = fields.get("data");
    if (data === undefined) return;
    this.told.push({ event: fields.get("event") ?? "message", data: JSON.parse(data), id });
    this.#wake();
  }

  #wake(): void {
    const heard = this.#heard;
    this.#heard = [];
    for (const hear of heard) hear();
  }
}

/** `changed a` */
export function words(told: readonly Told[]): readonly string[] {
  return told.map(({ event, data }) => (data.id === undefined ? event : `${event} ${data.id}`));
}
