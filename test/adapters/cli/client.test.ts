import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HttpResponse, Service } from "restwright";
import { describe, expect, onTestFinished, test } from "vitest";
import { programFolder } from "../../tools/programFolder.js";
import { openTypesService } from "../../types/clientService.js";
import { run, serve } from "./stage.js";

const imports = `import { belongsTo, createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { z } from "zod";
`;

const definitions = `
const tree = z.object({ name: z.string(), get parts() { return z.array(tree); } });
const notes = defineResource("notes", {
  schema: z.object({
    id: z.int(),
    title: z.string().optional(),
    secret: z.string().optional(),
    big: z.bigint().nullable(),
    at: z.date().default(() => new Date()),
    kind: z.enum(["a", 'b"\\n*/']),
    pair: z.tuple([z.string(), z.int()]),
    counts: z.record(z.string(), z.int()),
    any: z.unknown(),
    tree,
  }),
  generated: { id: "increment" },
  access: { secret: { read: ({ id }) => id === "ann", onForbidden: "hide" } },
});
`;

/** A module with a service. A module is loaded once, and its service is closed then. */
function moduleIn(folder: string, change: (text: string) => string = (text) => text): string {
  const file = join(folder, `${randomUUID()}.ts`);
  const service = `export const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [openapi({ info: { title: "Notes", version: "1.0.0" } })] });\n`;
  writeFileSync(file, change(imports + definitions + service));
  return file;
}

describe("restwright client", () => {
  test("prints the declarations of a module, writes them, and compares them with a file", async () => {
    const folder = programFolder();
    const printed = await run(["client", moduleIn(folder)]);
    expect([printed.code, printed.stderr]).toEqual([0, ""]);
    expect(printed.stdout).toContain("export interface Api {\n  readonly types?: readonly [Notes];\n}");
    expect(printed.stdout).toContain(`type NotesFields = {
  readonly id: Field<number>;
  readonly title: OptionalField<string>;
  readonly big: Field<bigint | null>;
  readonly at: DefaultField<Date>;
  readonly kind: Field<"a" | "b\\"\\n*/">;
  readonly pair: Field<[string, number]>;
  readonly counts: Field<{ [member: string]: number }>;
  readonly any: Field<unknown>;
  readonly tree: Field<NoteTree, NoteTreeInput>;
};`);
    expect(printed.stdout).toContain("type NoteTree = { name: string; parts: NoteTree[] };");
    const file = join(folder, "api.d.ts");
    expect(await run(["client", moduleIn(folder), "--out", file])).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe(printed.stdout);
    expect(await run(["client", moduleIn(folder), "--check", file])).toEqual({ code: 0, stdout: "", stderr: "" });
    const other = await run(["client", moduleIn(folder, (text) => text.replace("title:", "heading:")), "--check", file]);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/^The declaration differs from ".*" from line \d+ on:\n-.*title.*\n\+.*heading.*\nWrite it with --out/);
  });

  test("declares what a principal may know", async () => {
    const folder = programFolder();
    const file = join(folder, "ann.json");
    writeFileSync(file, '{ "id": "ann" }');
    expect((await run(["client", moduleIn(folder)])).stdout).not.toContain("secret");
    const { stdout } = await run(["client", moduleIn(folder), "--as", file]);
    expect(stdout).toContain("readonly secret: OptionalField<string>;");
    expect(stdout).toContain('readonly ruled: "secret";');
  });

  test("makes the same of a module, of the file of its document, and of its URL", async () => {
    const folder = programFolder();
    const file = join(folder, "openapi.json");
    const module = await run(["client", fileURLToPath(new URL("../../types/clientService.ts", import.meta.url))]);
    const typesService = openTypesService();
    onTestFinished(() => typesService.close());
    writeFileSync(file, JSON.stringify(await typesService.document()));
    expect(await run(["client", file])).toEqual(module);
    const { origin } = await serve(typesService as Service);
    expect(await run(["client", `${origin}/openapi.json`, "--token", "any"])).toEqual(module);
    expect(module.stdout).toContain(
      'readonly actions: { readonly cancel: Action<"row", OrderCancel, RowAnswer, never, "POST">; readonly ping: Action<"row", undefined, RowAnswer, never, "POST">; readonly sum: Action<"collection", OrderSum, OrderSumAnswer, never, "POST">; readonly statistics: Action<"collection", { least?: number | undefined } | undefined, OrderStatisticsAnswer, never, "GET"> };',
    );
    expect(module.stdout).toContain('readonly events: { readonly "order.created": unknown; readonly "order.canceled": unknown };');
  });

  test("sends the credentials of the command line", async () => {
    let seen: unknown;
    const { origin } = await serve((incoming, outgoing) => {
      seen = [incoming.headers.authorization, incoming.headers["x-api-version"]];
      outgoing.writeHead(404, { "content-type": "text/plain" } satisfies HttpResponse["headers"]).end("None.");
    });
    const ran = await run(["client", `${origin}/openapi.json`, "--header", "X-API-Version: v2"], { variables: { RESTWRIGHT_TOKEN: "abc" } });
    expect(seen).toEqual(["Bearer abc", "v2"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("404");
  });

  test("no text of a document ends its literal, its comment or its name", async () => {
    const folder = programFolder();
    const typesService = openTypesService();
    onTestFinished(() => typesService.close());
    const document = await typesService.document();
    const changed = JSON.stringify({ ...document, info: { title: "A\n; declare const evil: 1; // */" } }).replaceAll(
      "statistics",
      'evil\\": 1 }\\n; //',
    );
    const file = join(folder, "openapi.json");
    writeFileSync(file, changed);
    const { code, stdout } = await run(["client", file]);
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toContain('"A\\n; declare const evil: 1; // */"');
    expect(stdout.split("\n").filter((line) => line.includes("evil") && !/"[^"]*\\n; |"evil\\": 1 }\\n/.test(line))).toEqual([]);
  });

  test("says what is wrong", async () => {
    const folder = programFolder();
    const [module, file] = [join(folder, "api.ts"), join(folder, "openapi.json")];
    const errorOf = async (...args: readonly string[]) => {
      const { code, stderr } = await run(["client", ...args]);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await errorOf()).toContain('Name one source: a JavaScript file that exports "service", or the URL or the file of its OpenAPI document.');
    expect(await errorOf(module, "--out", "a", "--check", "b")).toContain("Name --out or --check, not both.");
    expect(await errorOf(file, "--as", "a")).toContain("--as and --api-version are for a module");
    expect(await errorOf(module, "--token", "a")).toContain("--header and --token are for a URL.");
    expect(await errorOf("https://ada:secret@example.com/openapi.json")).toContain("must not contain credentials");
    writeFileSync(module, "export const service = {};\n");
    expect(await errorOf(module)).toContain(`The module "${module}" does not export "service"`);
    writeFileSync(file, "<html>");
    expect(await errorOf(file)).toContain(`"${file}" is not JSON.`);
    writeFileSync(file, JSON.stringify({ openapi: "3.1.0", info: { title: "Other" }, paths: {}, components: {} }));
    expect(await errorOf(file)).toContain(
      'is not an OpenAPI document of a restwright service of this version: "components.x-restwright-collections" is missing',
    );
    expect(await errorOf(join(folder, "missing.json"))).toContain("ENOENT");
  });
});
