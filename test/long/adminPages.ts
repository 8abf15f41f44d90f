import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openBrowser } from "../e2e/pages/browser.js";
import { startShop } from "../e2e/shop/shopProcess.js";
import { Consumer, pack } from "../package/consumer.js";
import { checkForms } from "./adminPages/forms.js";
import { checkGrid } from "./adminPages/grid.js";
import { checkReactAdmin } from "./adminPages/reactAdmin.js";
import { openUsers, type Stage } from "./adminPages/stage.js";

/**
 * The programs of docs/admin-pages.md: `npx tsx test/long/adminPages.ts` installs the packages that they name beside the packed restwright, compiles the programs with `--strict`, and
 * uses each in Chromium against the shop, from a page of another origin: list, filter, sort, pages, create, edit, conflict, delete, delete many, export, a file. It needs the npm registry and
 * CHROMIUM_PATH, and takes about five minutes. Exits with 1 where a check fails.
 */
const packages = [
  "react-admin@5.15.4",
  "@refinedev/core@5.0.12",
  "@tanstack/react-query@5.108.4",
  "ag-grid-community@36.2.0",
  "react@19.3.1",
  "react-dom@19.3.1",
  "@types/react@19",
  "@types/react-dom@19",
  "esbuild@0.27",
  "typescript@~5.9.0",
  "zod",
];

const programs: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  reactAdmin: checkReactAdmin,
  refine: checkForms,
  query: checkForms,
  grid: checkGrid,
};

/** The data providers are what the packages demand, though restwright knows them by their shape only. */
const shapes = `import type { DataProvider as RefineDataProvider } from "@refinedev/core";
import type { DataProvider } from "react-admin";
import type { ReactAdminProvider } from "restwright/client/react-admin";
import type { RefineProvider } from "restwright/client/refine";

export const reactAdmin: DataProvider = {} as ReactAdminProvider;
export const refine: RefineDataProvider = {} as RefineProvider;
export const required: Required<RefineDataProvider> = {} as RefineProvider;
`;

const page = readFileSync(new URL("../../docs/admin-pages.md", import.meta.url), "utf8");
const files = new Map([...page.matchAll(/^```tsx\n\/\/ (\S+)\n([\s\S]*?)^```/gm)].map(([, name = "", text = ""]) => [name, text]));

const only = process.argv.slice(2);
const consumer = new Consumer("module");
const pages = createServer((request, response) => {
  const name = /^\/(\w+)\.(html|js)$/.exec(request.url ?? "");
  if (name === null) return response.writeHead(404).end();
  if (name[2] === "js")
    return response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(join(consumer.folder, "out", `${name[1]}.js`)));
  const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>${name[1]}</title><body><script>localStorage.setItem("token", "alice")</script><script type="module" src="/${name[1]}.js"></script>`;
  return response.writeHead(200, { "content-type": "text/html" }).end(html);
});
await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
const shop = await startShop("fastify", { DATA_DIR: ":memory:", SHOP_AUTH: "on", CORS_ORIGINS: origin, BASE_PATH: "/v1" });
const browser = await openBrowser({ acceptDownloads: true, viewport: { width: 1_400, height: 1_000 } });
const failures: string[] = [];
try {
  await consumer.install([await pack(consumer.folder), ...packages]);
  await consumer.run("npx", ["--no-install", "restwright", "client", `${shop.origin}/openapi.json`, "--out", "api.d.ts"]);
  for (const [name, text] of files) consumer.write(name, text.replace("https://shop.example.com/v1", shop.origin));
  consumer.write("shapes.ts", shapes);
  const target = [
    "--strict",
    "--noEmit",
    "--skipLibCheck",
    "--jsx",
    "react-jsx",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
  ];
  const sources = ["shapes.ts", ...Object.keys(programs).map((name) => `${name}.tsx`)];
  await consumer.run(process.execPath, ["node_modules/typescript/bin/tsc", ...target, "--lib", "es2023,dom,dom.iterable", ...sources]);
  console.log(`compiled: ${sources.join(", ")}`);
  const bundling = ["--bundle", "--format=esm", "--jsx=automatic", "--outdir=out", '--define:process.env.NODE_ENV="production"'];
  await consumer.run("npx", ["--no-install", "esbuild", ...Object.keys(programs).map((name) => `${name}.tsx`), ...bundling]);
  const users = openUsers(shop.origin);
  for (const [name, check] of Object.entries(programs).filter(([name]) => only.length === 0 || only.includes(name))) {
    await users.reset(name === "grid" ? 125 : 25);
    const tab = await browser.open(`${origin}/${name}.html`);
    tab.page.setDefaultTimeout(15_000);
    const stage: Stage = {
      users,
      page: tab.page,
      name,
      async check(what, run) {
        try {
          await run();
          console.log(`${name}: ${what}`);
        } catch (error) {
          failures.push(`${name}: ${what}`);
          console.log(`${name}: FAILED ${what}: ${String(error).slice(0, 1_000)}`);
          await tab.page.screenshot({ path: join(consumer.folder, `${name}-${failures.length}.png`) });
        }
      },
    };
    await check(stage);
    await stage.check("no exception, and no request elsewhere", async () => {
      // A refused write is an error of the console too.
      const unexpected = tab.complaints.filter((text) => !/status of 4(00|12|22)/.test(text));
      if (unexpected.length > 0) throw new Error(unexpected.join("\n"));
    });
    await tab.page.close();
  }
} finally {
  await browser.close();
  await shop.stop("SIGTERM");
  pages.close();
  if (failures.length === 0) consumer.remove();
}
console.log(failures.length === 0 ? "Everything passed." : `${failures.length} failed; screenshots are in ${consumer.folder}.`);
process.exitCode = failures.length === 0 ? 0 : 1;
