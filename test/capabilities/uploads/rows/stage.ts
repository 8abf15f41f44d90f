import { belongsTo, defineResource, hasMany, type Service, type Storage } from "restwright";
import { memoryBlobs } from "restwright/memory";
import { file } from "restwright/uploads";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { as, callers } from "../stage.js";

/** Teams, and people with two files each, who go with their team. */
export const teams = defineResource("teams", {
  schema: z.object({ id: z.string(), logo: file("any").nullable().default(null) }),
  relations: { people: hasMany("people", "teamId") },
  actions: ({ action }) => ({
    dress: action({ on: "row", input: z.object({ logo: z.string() }), run: ({ input }) => ({ logo: input.logo }) }),
  }),
});

export const people = defineResource("people", {
  schema: z.object({
    id: z.string(),
    name: z.string(),
    teamId: z.string().nullable().default(null),
    avatar: file(["text/plain", "image/*"]).nullable().default(null),
    letter: file("any").nullable().default(null),
    secret: file("any").optional(),
  }),
  access: { secret: { read: ({ id }) => id === "ada" } },
  unique: ["name"],
  relations: { team: belongsTo("teams", "teamId", { onDelete: "cascade" }) },
  import: { generated: [] },
  accepts: ["json", "xml"],
});

/** The bytes of a PDF file without pages. */
export const pdf = "%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF";

/** An answer with its body. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

export type FileStage = ReturnType<typeof fileStage>;

/** A service whose rows hold files. */
export function fileStage(storage: Storage) {
  const service = fullService({
    ...{ resources: [teams, people], storage, auth: [callers], blobs: memoryBlobs(), uploads: { types: "any" }, logger: false },
    jobs: { pollMs: 20 },
  });
  async function send(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const isText = typeof body === "string";
    const type = isText ? "application/octet-stream" : method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const all = { ...as("ada"), ...(body === undefined ? {} : { "content-type": type }), ...headers };
    const sent = body === undefined ? null : isText ? body : JSON.stringify(body);
    const answer = await service.fetch(new Request(`http://test${path}`, { method, headers: all, body: sent }));
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, json: /json/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : text };
  }
  const calls = service as unknown as Service<[typeof teams, typeof people]>;
  return {
    service,
    calls,
    send,
    /** Sends a file. @returns its id */
    async upload(text = "hello", who = "ada"): Promise<string> {
      const { status, json } = await send("POST", "/uploads", text, as(who));
      if (status !== 201) throw new Error(`The file was not taken: ${JSON.stringify(json)}`);
      return json.id;
    },
    /** Whether no row holds a file. */
    async isFree(id: string): Promise<boolean> {
      const data = (await storage.uploads?.get(id))?.data as { readonly status: string; readonly claim?: unknown };
      return data.status === "ready" && data.claim === undefined;
    },
    /** Sends what becomes a job, and waits for its end. */
    async finish({ status, headers, json }: Answered): Promise<Answered> {
      if (status !== 202) return { status, headers, json };
      const path = String(headers.get("location"));
      for (;;) {
        const answer = await send("GET", path);
        if (answer.json.finishedAt !== null) return answer;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
