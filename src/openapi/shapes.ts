import { createHash } from "node:crypto";
import { anonymous, type Principal } from "../auth/verifier.js";
import { RecentlyUsed } from "../http/recentlyUsed.js";
import { dependsOnPrincipal } from "../schema/access.js";
import { type Caller, gateOf, mayRun } from "./describing.js";
import { buildDocument, type Documented } from "./document.js";
import type { OpenApiDocument, OpenApiOptions } from "./options.js";

/** A document as it is sent. */
export interface SentDocument {
  readonly text: string;
  /** A strong entity tag. */
  readonly etag: string;
}

interface Built {
  readonly document: OpenApiDocument;
  sent: SentDocument | undefined;
}

/** Documents by what their callers may see: callers with the same rights share one. */
const maxShapes = 16;
const uses = ["read", "write", "filter", "sort"] as const;

/** The documents of a service. */
export class Shapes {
  readonly #options: OpenApiOptions;
  readonly #documented: (version: string | undefined) => Documented;
  readonly #built = new RecentlyUsed<Promise<Built>>(maxShapes);

  constructor(options: OpenApiOptions, documented: (version: string | undefined) => Documented) {
    this.#options = options;
    this.#documented = documented;
  }

  async document(principal: Principal, version: string | undefined): Promise<OpenApiDocument> {
    const { document } = await this.#of(principal, version);
    const { transform } = this.#options;
    return transform === undefined ? structuredClone(document) : transform(structuredClone(document), principal);
  }

  async sent(principal: Principal, version: string | undefined): Promise<SentDocument> {
    if (this.#options.transform !== undefined) return sentOf(await this.document(principal, version));
    const built = await this.#of(principal, version);
    built.sent ??= sentOf(built.document);
    return built.sent;
  }

  async #of(principal: Principal, version: string | undefined): Promise<Built> {
    const documented = this.#documented(version);
    const caller: Caller = { principal, leavesOutRefused: principal !== anonymous };
    const key = await shapeOf(documented, caller, version);
    let built = this.#built.get(key);
    if (built === undefined) {
      built = buildDocument(documented, this.#options, caller).then((document): Built => ({ document, sent: undefined }));
      this.#built.set(key, built);
    }
    return built;
  }
}

/** What a caller may see, as a text: callers with one shape get one document. */
async function shapeOf(documented: Documented, caller: Caller, version: string | undefined): Promise<string> {
  const gate = gateOf(caller);
  const fields = [...documented.resources.values()].flatMap(({ name, fields: all }) =>
    [...all.values()]
      .filter(({ access }) => dependsOnPrincipal(access))
      .map((field) => [name, field.name, ...uses.map((use) => gate(field, use))].join(" ")),
  );
  const refused: string[] = [];
  const asked = new Set<string>();
  for (const { operations } of documented.routes) {
    for (const { access } of operations) {
      if (access?.collection === undefined) continue;
      const question = `${access.action} ${access.collection}`;
      if (asked.has(question)) continue;
      asked.add(question);
      if (!(await mayRun(documented.environment, caller, access.action, access.collection))) refused.push(question);
    }
  }
  return createHash("sha256")
    .update(JSON.stringify([version ?? null, fields, refused]))
    .digest("hex");
}

function sentOf(document: OpenApiDocument): SentDocument {
  const text = JSON.stringify(document);
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` };
}
