// Runs the first two commands of README.md as they are written, and its requests against the shop: `node .ci/readme.mjs <clone>`. With `--installed`, the folder has its
// packages already: only `npm start` and the requests are run, which takes seconds. With TEST_REPORT, the tests write their report there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const installMs = 15 * 60_000;
const endMs = 30_000;

/** What a user of a fresh machine has: the settings of the shop and of the tests are not among them, except for the folder of the rows, which a test names. */
const kept =
  /^(?:PATH|HOME|USER|SHELL|LANG|LC_ALL|TERM|TMPDIR|DATA_DIR|TEST_REPORT|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|(?:https?|no)_proxy|npm_config_(?:registry|cache|userconfig|globalconfig|cafile))$/i;

/** Processes that may still run; each is the leader of a process group. */
const running = new Set();

/** The lines of the block below `<!-- quickstart: name -->`, and the text after it, up to the next block. */
function readBlock(readme, name) {
  const [, block, text] =
    new RegExp(`^<!-- quickstart: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)^\`\`\`\\n([\\s\\S]*?)(?=^<!-- |^\`\`\`|(?![\\s\\S]))`, "m").exec(readme) ??
    [];
  if (block === undefined) throw new Error(`README.md has no "<!-- quickstart: ${name} -->" above a sh block.`);
  return { lines: block.trimEnd().split("\n"), text };
}

function readCommand(readme, name, wanted) {
  const { lines } = readBlock(readme, name);
  if (lines.length !== 1 || lines[0] !== wanted)
    throw new Error(`The block "quickstart: ${name}" of README.md must be "${wanted}"; got "${lines.join("\n")}".`);
  return wanted;
}

/** Requires that these two commands are the first code of README.md, beside the requests to the shop. */
function readReadme(folder) {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const start = readCommand(readme, "shop", "npm ci && npm start");
  const test = readCommand(readme, "tests", "npm ci && npm test");
  const { lines, text } = readBlock(readme, "requests");
  const blocks = [...readme.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].slice(0, 3).map(([, block]) => block.trimEnd());
  if (blocks.join("\0") !== [start, lines.join("\n"), test].join("\0"))
    throw new Error("The first blocks of README.md must be quickstart: shop, requests and tests.");
  const statuses = (text.match(/\b[2-5]\d\d\b/g) ?? []).map(Number);
  const [, detail] = /says `([^`]+)`/.exec(text) ?? [];
  if (lines.length === 0 || statuses.length !== lines.length || detail === undefined)
    throw new Error(
      `The text after the ${lines.length} requests of README.md must name a status for each, and what the last one says; got ${statuses.join(", ")}.`,
    );
  return { start, test, requests: lines.map((line, index) => ({ line, status: statuses[index] })), detail };
}

function environmentOf(port) {
  const entries = Object.entries(process.env).filter(([name]) => kept.test(name));
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !/node_modules[\\/]\.bin$/.test(folder));
  return { ...Object.fromEntries(entries), PATH: path.join(delimiter), ...(port !== 3000 && { PORT: String(port) }) };
}

/** Starts a line of a shell in a process group of its own. */
function startLine(line, folder, environment) {
  const child = spawn("bash", ["-c", line], { cwd: folder, env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const started = { line, child, output: "", ended: once(child, "close") };
  running.add(started);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      started.output += text;
    });
  return started;
}

function signalGroup({ child }, signal) {
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function runLine(line, folder, environment, timeMs) {
  const started = startLine(line, folder, environment);
  const timer = setTimeout(() => signalGroup(started, "SIGKILL"), timeMs);
  const [code] = await started.ended;
  clearTimeout(timer);
  running.delete(started);
  return { code, output: started.output };
}

/** Resolves when the shop says where it listens. */
async function startShop(line, folder, port) {
  const shop = startLine(line, folder, environmentOf(port));
  const deadline = performance.now() + installMs;
  while (!shop.output.includes(`restwright shop on fastify at http://127.0.0.1:${port}`)) {
    if (shop.child.exitCode !== null || performance.now() > deadline) throw new Error(`"${line}" did not start the shop:\n${shop.output}`);
    await sleep(100);
  }
  return shop;
}

/** Ctrl-C, and no process of its group is left after it. */
async function stopShop(shop) {
  signalGroup(shop, "SIGINT");
  const deadline = performance.now() + endMs;
  while (signalGroup(shop, 0) && performance.now() < deadline) await sleep(50);
  if (signalGroup(shop, "SIGKILL")) throw new Error(`"${shop.line}" did not end in ${endMs / 1_000} s after Ctrl-C.`);
  await shop.ended;
  running.delete(shop);
}

async function sendRequests({ requests, detail }, folder, port) {
  for (const [index, { line, status }] of requests.entries()) {
    if (!line.startsWith("curl ") || !line.includes("127.0.0.1:3000/")) throw new Error(`README.md must send "${line}" with curl to 127.0.0.1:3000.`);
    const { code, output } = await runLine(line.replace("127.0.0.1:3000/", `127.0.0.1:${port}/`), folder, environmentOf(port), endMs);
    // What curl says of its progress comes before or after the answer.
    const got = Number(/HTTP\/1\.1 (\d{3})/.exec(output)?.[1]);
    if (code !== 0 || got !== status) throw new Error(`README.md promises ${status} for\n${line}\nbut it ended with ${code} and answered\n${output}`);
    if (index === requests.length - 1 && !output.includes(JSON.stringify(detail).slice(1, -1)))
      throw new Error(`README.md promises "${detail}" for\n${line}\nbut it answered\n${output}`);
    process.stdout.write(`${status}  ${line}\n`);
  }
}

/** 3000, as README.md has it, or another one if that is taken. */
async function choosePort() {
  for (const port of [3000, 0]) {
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    const { port: free } = server.address();
    server.close();
    await once(server, "close");
    return free;
  }
  throw new Error("No port is free.");
}

/** Starts the shop twice, since the rows of the first time are there at the second. */
async function checkShop(readme, folder, isInstalled) {
  const port = await choosePort();
  const again = readme.start.replace("npm ci && ", "");
  for (const line of [isInstalled ? again : readme.start, again]) {
    const startedMs = performance.now();
    const shop = await startShop(line, folder, port);
    process.stdout.write(`"${line}" listens on ${port} after ${Math.round((performance.now() - startedMs) / 1_000)} s.\n`);
    await sendRequests(readme, folder, port);
    await stopShop(shop);
  }
}

async function checkTests({ test }, folder) {
  const startedMs = performance.now();
  const { code, output } = await runLine(test, folder, environmentOf(3000), installMs);
  if (code === null) throw new Error(`"${test}" was killed, or did not end in ${installMs / 60_000} min:\n${output}`);
  if (code !== 0) throw new Error(`"${test}" ended with ${code}:\n${output}`);
  process.stdout.write(`${output.slice(-500)}\n`);
  process.stdout.write(`"${test}" took ${Math.round((performance.now() - startedMs) / 1_000)} s.\n`);
}

const killAll = () => {
  for (const started of running) signalGroup(started, "SIGKILL");
};
process.on("exit", killAll);
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.on(signal, () => process.exit(code));

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { installed: { type: "boolean", default: false } } });
  if (positionals.length !== 1) throw new Error("Name one folder: node .ci/readme.mjs <clone>");
  const folder = resolve(positionals[0]);
  const readme = readReadme(folder);
  await checkShop(readme, folder, values.installed);
  if (!values.installed) await checkTests(readme, folder);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
