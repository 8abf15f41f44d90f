import { readFileSync } from "node:fs";
import { startShop } from "../e2e/shopProcess.js";
import { Consumer } from "../package/consumer.js";

/**
 * The recipes of docs/clients.md: `npx tsx test/long/clients.ts` makes clients of the shop's document with each generator, compiles the programs of the page with `--strict`, their
 * wrong calls included, and runs them against the shop. It needs the npm registry. Exits with 1 where one of them fails.
 */
interface Recipe {
  /** The heading of the section. */
  readonly heading: string;
  readonly packages: readonly string[];
  /** The file of the configuration, which is the first block of JavaScript of the section. */
  readonly config?: string;
  /** Arguments of Node. */
  readonly generate: readonly string[];
}

const recipes: readonly Recipe[] = [
  {
    heading: "openapi-typescript and openapi-fetch",
    packages: ["openapi-typescript@7", "openapi-fetch@0.17"],
    generate: ["node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--default-non-nullable=false", "-o", "api.d.ts"],
  },
  {
    heading: "hey-api",
    packages: ["@hey-api/openapi-ts@0.90"],
    config: "openapi-ts.config.mjs",
    generate: ["node_modules/@hey-api/openapi-ts/bin/run.js", "-f", "openapi-ts.config.mjs"],
  },
  {
    heading: "orval",
    packages: ["orval@7.13", "axios@~1.13.0", "qs@6", "@types/qs@6"],
    config: "orval.config.cjs",
    generate: ["node_modules/orval/dist/bin/orval.js", "--config", "orval.config.cjs"],
  },
];

const page = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");

/** The first block of a language in a section of the page. */
function block(heading: string, language: string): string {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(section)?.[1];
  if (found === undefined) throw new Error(`docs/clients.md has no block of ${language} below "${heading}".`);
  return found;
}

const consumer = new Consumer("module");
const shop = await startShop("fastify", { DATA_DIR: ":memory:" });
try {
  await consumer.install([...recipes.flatMap(({ packages }) => packages), "typescript@~5.9.0", "@types/node@20"]);
  const document = await fetch(`${shop.origin}/openapi.json`);
  consumer.write("openapi.json", await document.text());
  const target = ["--target", "es2022", "--module", "nodenext", "--types", "node"];
  for (const [index, { heading, config, generate }] of recipes.entries()) {
    if (config !== undefined) consumer.write(config, block(heading, "js").replace("http://127.0.0.1:3000/", "./"));
    await consumer.run(process.execPath, generate);
    const program = `program${index}`;
    consumer.write(`${program}.ts`, block(heading, "typescript").replace('process.env["SHOP"] ?? ""', JSON.stringify(shop.origin)));
    await consumer.run(process.execPath, ["node_modules/typescript/bin/tsc", "--strict", "--skipLibCheck", ...target, `${program}.ts`]);
    console.log(`${heading}: ${(await consumer.run(process.execPath, [`${program}.js`])).trim()}`);
  }
} finally {
  await shop.stop("SIGTERM");
  consumer.remove();
}
