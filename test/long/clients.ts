import { parseArgs } from "node:util";
import { startShop } from "../e2e/shop/shopProcess.js";
import { programOf } from "./clients/programs.js";
import { startRecorder } from "./clients/recorder.js";
import { rowOf, type Tool } from "./clients/tool.js";
import { tools } from "./clients/tools.js";
import { findNode, Workplace } from "./clients/workplace.js";

/**
 * The tools of docs/clients.md: `npx tsx test/long/clients.ts` tries each of them with the document of the running shop. Generated clients are compiled with `--strict`, their wrong calls
 * included. The shop sees what they send; a tool that does less, or more, than the table says fails. It needs the npm registry and Chromium. Exits with 1 if one of them fails.
 *
 * `--only orval` tries those whose names have the text, `--newest` the newest versions instead of those of the table, and `--rows` prints the table.
 */
const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, newest: { type: "boolean", default: false }, rows: { type: "boolean", default: false } },
});
const chosen = tools.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));
if (chosen.length === 0) throw new Error(`--only "${values.only}" is in no name of: ${tools.map(({ name }) => name).join("; ")}.`);

if (values.rows) for (const tool of chosen) console.log(rowOf(tool));
else await attemptAll();

async function attemptAll(): Promise<void> {
  const { node, remove } = await findNode();
  try {
    for (const tool of chosen) {
      const startedAt = performance.now();
      const [failure, versions] = await attempt(tool, node);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      console.log(`${failure === undefined ? "as told" : "FAILED"}: ${tool.name} (${versions.join(", ")}), ${seconds} s`);
      if (failure === undefined) continue;
      console.log(failure.message.slice(0, 4_000));
      process.exitCode = 1;
    }
  } finally {
    await remove();
  }
}

/** Tries a tool with a shop and a folder of its own. Resolves to what went wrong and the versions that were tried. */
async function attempt(tool: Tool, node: string): Promise<readonly [Error | undefined, readonly string[]]> {
  const workplace = new Workplace(node);
  const shop = await startShop("fastify", { DATA_DIR: ":memory:", ...tool.environment });
  const recorder = await startRecorder(shop.origin);
  const names = Object.keys(tool.packages);
  try {
    const packages = Object.entries(tool.packages).map(([name, version]) => `${name}@${values.newest ? "latest" : version}`);
    await workplace.install([...packages, ...Object.entries(tool.beside ?? {}).map((each) => each.join("@"))]);
    const document = await fetch(`${shop.origin}/openapi.json`);
    workplace.write("openapi.json", await document.text());
    workplace.write("values.ts", programOf("values.ts"));
    await tool.attempt({ workplace, shop: shop.origin, origin: recorder.origin, exchanges: recorder.exchanges });
    return [undefined, names.map((name) => `${name} ${workplace.versionOf(name)}`)];
  } catch (error) {
    return [error as Error, names];
  } finally {
    recorder.close();
    await workplace.remove();
    await shop.stop("SIGTERM");
  }
}
