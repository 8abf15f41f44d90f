// @slow

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";

import { formSchema, uploadsSchema } from "../../src/capabilities/uploads/optionsSchema.js";
import { png } from "../parts/checks/samples/images.js";
import { entries, specifierOf } from "../rooms/rooms.js";
import { temporaryFolder } from "../tools/temporary.js";

const run = promisify(execFile);
const pageOf = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const page = pageOf("uploads.md");
const anchorsOf = (name: string) =>
  [...pageOf(name).matchAll(/^#+ (.+)$/gm)].map(
    ([, heading = ""]) =>
      `${name}#${heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-")}`,
  );
const section = (heading: string) => page.split(/^(?=## )/m).find((each) => each.startsWith(`## ${heading}\n`)) ?? "";
const block = (text: string, language: string) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(text)?.[1] ?? "";
const options = (text: string) =>
  [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names = ""]) => names.replaceAll("`", "").split(", "));

/** The package as it is here, which need not be built. */
function sourceOf(name: string): string {
  if (name !== "restwright" && !name.startsWith("restwright/")) return import.meta.resolve(name);
  const file = [...entries].find(([entry]) => specifierOf(entry) === name)?.[1];
  if (file === undefined) throw new Error(`There is no entry "${name}".`);
  return new URL(`../../${file}`, import.meta.url).href;
}

/** Runs the program of a section in a folder of its own. @returns its port */
async function startProgram(text: string, folder: string): Promise<number> {
  const program = block(text, "ts")
    .replaceAll('path: "data', `path: "${folder}/data`)
    .replaceAll(/from "(.+)";/g, (_import, name: string) => `from "${sourceOf(name)}";`)
    .replace(/^(.+)\.listen\(.*$/m, "const server = $1.listen(0, () => console.log(server.address().port));");
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  return Number(port);
}

describe("docs/uploads.md", () => {
  test("begins with a program that answers its commands as it says", async () => {
    const folder = temporaryFolder();
    const port = await startProgram(section("Quick start"), folder);
    const blocks = ["Quick start", "Resumable uploads", "Presigned uploads"].map((heading) => block(section(heading), "sh"));
    const commands = blocks.join("").replaceAll("localhost:3000", `127.0.0.1:${port}`);
    const said = [...commands.matchAll(/ # (\d{3})\b/g)].map(([, status]) => status);
    expect(said).toEqual(["201", "201", "415", "204", "200", "204", "200", "204", "201"]);
    // Only those whose answers are shown print their status.
    const script = `curl() { if [[ $* == *-w* ]]; then command curl "$@"; else command curl -s -o /dev/null -w '%{http_code}\\n' "$@"; fi; }\n${commands}`;
    const { stdout } = await run("bash", ["-c", script], { cwd: folder });
    expect(stdout.trim().split("\n")).toEqual(said);
  });

  test("has a program that pages of the origin that it names can send files to, and no others", async () => {
    const [, browsers = ""] = section("Behind a proxy").split("### Browsers\n");
    const port = await startProgram(browsers, temporaryFolder());
    const origin = "https://app.example.com";
    const send = (path: string, init: RequestInit, from = origin) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { origin: from, "sec-fetch-site": "cross-site", ...init.headers } });
    const asked = ["tus-resumable", "upload-length", "upload-metadata", "cache-control", "traceparent", "x-requested-with"];
    const asks = { "access-control-request-method": "POST", "access-control-request-headers": asked.join() };
    const preflight = await send("/uploads", { method: "OPTIONS", headers: asks });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(", ")).toEqual(expect.arrayContaining(asked));
    const tus = { method: "POST", headers: { "tus-resumable": "1.0.0", "upload-length": "5" } };
    const created = await send("/uploads", tus);
    expect([created.status, created.headers.get("access-control-allow-origin")]).toEqual([201, origin]);
    expect(created.headers.get("access-control-expose-headers")?.split(", ")).toEqual(expect.arrayContaining(["Location", "Upload-Offset"]));
    const form = () => {
      const body = new FormData();
      body.append("picture", new Blob([png(2, 2)], { type: "image/png" }), "a.png");
      return { method: "POST", body };
    };
    expect((await send("/pictures", form())).status).toBe(201);
    for (const [path, init] of [["/uploads", tus] as const, ["/pictures", form()] as const]) {
      expect((await send(path, init, "https://evil.example")).status).toBe(403);
    }
  });

  test("has every option, and no others", () => {
    expect(options(section("Options")).toSorted()).toEqual(Object.keys(uploadsSchema().shape).toSorted());
    const [ofForms = ""] = section("Forms").split("### In a route");
    expect(options(ofForms.slice(ofForms.indexOf("| option of a form |"))).toSorted()).toEqual(Object.keys(formSchema().shape).toSorted());
  });

  test.each([
    ["uploads.md", 10],
    ["checks.md", 1],
  ])("leads where it says, as %s does", (name, more) => {
    const text = pageOf(name);
    const links = [...text.matchAll(/\]\(([\w-]+\.md)?#([\w-]+)\)/g)].map(([, target = name, anchor = ""]) => `${target}#${anchor}`);
    const anchors = new Set(links.flatMap((link) => anchorsOf(link.split("#", 1)[0] ?? "")));
    expect(links.filter((link) => !anchors.has(link))).toEqual([]);
    expect(links.length).toBeGreaterThan(more);
  });
});
