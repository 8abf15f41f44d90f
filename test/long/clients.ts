import { readFileSync } from "node:fs";
import { startShop } from "../e2e/shopProcess.js";
import { Consumer } from "../package/consumer.js";

/**
 * The recipe of docs/clients.md: `npx tsx test/long/clients.ts` makes types of the shop's document with openapi-typescript, compiles the program of the page with `--strict`, its
 * wrong calls included, and runs it against the shop. It needs the npm registry. Exits with 1 where one of them fails.
 */
const page = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");
const program = /^```typescript\n([\s\S]*?)^```/m.exec(page)?.[1];
if (program === undefined) throw new Error("docs/clients.md has no program.");

const consumer = new Consumer("module");
const shop = await startShop("fastify", { DATA_DIR: ":memory:" });
try {
  await consumer.install(["openapi-typescript@7", "openapi-fetch@0.17", "typescript@~5.9.0", "@types/node@20"]);
  const document = await fetch(`${shop.origin}/openapi.json`);
  consumer.write("openapi.json", await document.text());
  await consumer.run(process.execPath, [
    "node_modules/openapi-typescript/bin/cli.js",
    "openapi.json",
    "--default-non-nullable=false",
    "-o",
    "api.d.ts",
  ]);
  consumer.write("program.ts", program.replace('process.env["SHOP"] ?? ""', JSON.stringify(shop.origin)));
  const target = ["--target", "es2022", "--module", "nodenext", "--types", "node"];
  await consumer.run(process.execPath, ["node_modules/typescript/bin/tsc", "--strict", "--skipLibCheck", ...target, "program.ts"]);
  console.log(await consumer.run(process.execPath, ["program.js"]));
} finally {
  await shop.stop("SIGTERM");
  consumer.remove();
}
