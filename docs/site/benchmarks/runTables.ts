import type { PeersRun, RequestsRun } from "../../../bench/record/recordedRun.js";
import { barsOf } from "../../../bench/requests/bars.js";
import type { Compared } from "../../../bench/requests/measure.js";
import { formatMicroseconds } from "../../../bench/tools/report.js";

/** The tables of a run of `bench/requests/run.ts`, a table a pair, after a paragraph about the run. */
export function requestTables(run: RequestsRun, file: string): string {
  const titles = new Set(run.results.map(titleOf));
  const tables = [...titles].map((title) => {
    const results = run.results.filter((result) => titleOf(result) === title);
    return `### ${title}\n\n${requestTable(results, run.connections)}`;
  });
  return [aboutRun(run, file), ...tables].join("\n\n");
}

type RequestResult = RequestsRun["results"][number];

function titleOf({ host, store }: RequestResult): string {
  return `${host}, ${store}`;
}

/** Four more columns if the CPU time of the database is known. */
function requestTable(results: readonly RequestResult[], connections: number): string {
  const hasEngine = results.some(({ together }) => together !== undefined);
  const columns = ["restwright, µs", "by hand, µs", "ratio", "bar"];
  const head = ["workload", ...columns, ...(hasEngine ? columns.map((column) => `${column}${column === "bar" ? "" : ", with the database"}`) : [])];
  const rows = results.map(({ host, store, workload, node, together }) => {
    const bars = barsOf({ host, store, workload, connections });
    return [workload, ...comparedCells(node, bars.node), ...(hasEngine ? comparedCells(together, bars.together) : [])];
  });
  return table([head, ...rows]);
}

function comparedCells(compared: Compared | undefined, bar: number | undefined): string[] {
  if (compared === undefined) return ["", "", "", ""];
  const { restwright, floor, ratio } = compared;
  return [formatMicroseconds(restwright), formatMicroseconds(floor), formatRatio(ratio, bar), bar?.toFixed(2) ?? ""];
}

/** The tables of a run of `bench/peers/peers.ts`, a table a store. A ratio above 1 is bold, but for the hand-written server, which is no peer. */
export function peerTables(run: PeersRun, file: string): string {
  const stores = [...new Set(run.results.map(({ store }) => store))];
  const tables = stores.map((store) => `### Peers, ${store}\n\n${peerTable(run.results.filter((result) => result.store === store))}`);
  const absent = run.absent.map(({ server, reason }) => `- ${server}: ${reason}`).join("\n");
  return [aboutRun(run, file), ...tables, ...(absent === "" ? [] : [absent])].join("\n\n");
}

type PeerResult = PeersRun["results"][number];

function peerTable(results: readonly PeerResult[]): string {
  const servers = [...new Set(results.map(({ server }) => server))];
  const workloads = [...new Set(results.map(({ workload }) => workload))];
  const cell = (workload: string, server: string) => {
    const found = results.find((result) => result.workload === workload && result.server === server);
    if (found === undefined) return "–";
    const { node, ratio } = found;
    return `${formatMicroseconds(node)}${ratio === undefined ? "" : `: ${formatRatio(ratio, server === "by hand" ? undefined : 1)}`}`;
  };
  return table([["µs", ...servers], ...workloads.map((workload) => [workload, ...servers.map((server) => cell(workload, server))])]);
}

/** As `bench/requests/workloads.ts` names them, and as a reader knows them. */
const shownWorkloads = [
  ["get", "GET"],
  ["list20", "list of 20"],
  ["post", "POST"],
  ["patch", "PATCH"],
] as const;

/** What a request costs, for readers in a hurry: SQLite beside the peers, and PostgreSQL beside the hand-written server. */
export function costTable(peers: PeersRun, requests: RequestsRun): string {
  const onSqlite = peers.results.filter(({ store }) => store === "sqlite");
  const servers = [...new Set(onSqlite.map(({ server }) => server))];
  const sqliteRows = shownWorkloads.flatMap(([workload, name]) => {
    const results = onSqlite.filter((result) => result.workload === workload);
    const medians = servers.map((server) => results.find((result) => result.server === server)?.node.median);
    return results.length === 0 ? [] : [[`SQLite, ${name}`, ...medians.map(formatMedian)]];
  });
  const onPostgres = requests.results.filter(({ store }) => store === "postgres");
  const postgresRows = shownWorkloads.flatMap(([workload, title]) => {
    const found = onPostgres.find((result) => result.workload === workload);
    const empty = servers.slice(2).map(() => "not measured");
    const cells = (name: string, compared: Compared | undefined) =>
      compared === undefined ? [] : [[name, formatMedian(compared.restwright.median), formatMedian(compared.floor.median), ...empty]];
    return [...cells(`PostgreSQL, ${title}`, found?.node), ...cells(`PostgreSQL, ${title}, with the database`, found?.together)];
  });
  const when = ({ date, rounds, node, machine }: RequestsRun | PeersRun) => `${date}, ${rounds} rounds, Node ${node}, ${machine}`;
  const rows = table([["µs of CPU time a request", ...servers], ...sqliteRows, ...postgresRows]);
  return `${rows}\n\nSQLite: ${when(peers)}. PostgreSQL: ${when(requests)}.`;
}

/** What a server cannot do is a dash; what was not measured says so. */
function formatMedian(median: number | undefined): string {
  return median === undefined ? "–" : median.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

function formatRatio(ratio: number, bar: number | undefined): string {
  const mark = bar !== undefined && ratio > bar ? "**" : "";
  return `${mark}${ratio.toFixed(2)}${mark}`;
}

/** Where, when and with what a run took place, and what it lacks. */
function aboutRun(run: RequestsRun | PeersRun, file: string): string {
  const versions = Object.entries(run.versions).map(([name, version]) => `${name} ${version}`);
  const amount = `${run.rounds} rounds of ${run.requests.toLocaleString("en-US")} requests by ${run.connections} connections`;
  const missing = run.missing.map(({ field, reason }) => ` Without \`${field}\`: ${reason}`).join("");
  const parts = [`${run.date}, Node ${run.node}, ${run.machine}`, amount, ...(versions.length === 0 ? [] : [versions.join(", ")])];
  return `${parts.join("; ")} ([data](benchmarks/${file})).${missing}`;
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
