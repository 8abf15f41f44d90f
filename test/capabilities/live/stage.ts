import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createService, defineResource, type Principal, type Service, type ServiceOptions, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { type LiveApi, type LiveOptions, live } from "restwright/live";
import { nodeHandler } from "restwright/node";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** A collection that is followed. `secret` is hidden from all, and each owner sees their own rows. */
export const orders = defineResource("orders", {
  schema: z.object({
    id: z.string(),
    status: z.enum(["open", "paid", "closed"]).default("open"),
    total: z.number().default(0),
    owner: z.string().nullable().default(null),
    secret: z.string().nullable().default(null),
    serial: z.bigint().nullable().default(null),
  }),
  access: { secret: { read: false } },
  filter: ["status", "total", "owner"],
  sort: ["total"],
  scope: ({ principal }: { principal: Principal }) => (principal.scopes?.includes("all") ? true : { owner: principal.id }),
  live: true,
});

export type LiveService = Service<readonly [typeof orders]> & LiveApi;

export interface StageOptions extends Partial<Omit<ServiceOptions, "storage">> {
  readonly storage: Storage;
  readonly live?: LiveOptions;
}

function principalOf(token: string): Principal {
  const [id = "", tenant] = token.split(".");
  return { id, tenant, scopes: id === "admin" ? ["all"] : [] };
}

/** A service whose bearer tokens are the ids of principals; `admin` sees all rows. It is closed after the test. */
export function serviceOn({ storage, live: options, use = [], ...others }: StageOptions): LiveService {
  const service = createService({
    resources: [orders],
    storage,
    secrets: ["a secret of the service itself"],
    logger: false,
    auth: [bearer(principalOf)],
    use: [live(options), ...use],
    ...others,
  } as ServiceOptions) as unknown as LiveService;
  onTestFinished(() => service.close({ graceMs: 0 }));
  return service;
}

/** Serves it on a port of its own. @returns its address */
export async function served(service: Service): Promise<string> {
  const server = createServer(nodeHandler(service));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An event of a stream. */
export interface Told {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
  readonly id?: string | undefined;
}

/** A client of a stream that keeps what it was told. */
export class Client {
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
    onTestFinished(() => this.cut());
  }

  static async connect(
    url: string,
    { token = "admin", after }: { readonly token?: string; readonly after?: string | undefined } = {},
  ): Promise<Client> {
    const abort = new AbortController();
    const headers = { accept: "text/event-stream", authorization: `Bearer ${token}`, ...(after === undefined ? {} : { "last-event-id": after }) };
    const response = await fetch(url, { headers, signal: abort.signal });
    const client = new Client(response);
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
