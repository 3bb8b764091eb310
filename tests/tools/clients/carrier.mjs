// The official TypeScript clients carry the calls that stdin names, as carrier.py does with those written in Python.
//
//     node carrier.mjs CLIENT JSON-OF {command, args, env, cwd} or {url, headers}
//
// CLIENT is typescript (@modelcontextprotocol/sdk) or typescript-2 (@modelcontextprotocol/client). It is copied into
// the folder of `make peers` that holds them, since Node looks for packages beside a program.
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";

const [name, given] = process.argv.slice(2);
const place = JSON.parse(given);
const about = { name, version: "1" };
const number = (folder) => JSON.parse(readFileSync(new URL(`node_modules/${folder}/package.json`, import.meta.url))).version;

async function opened() {
  const http = place.url && [new URL(place.url), { requestInit: { headers: place.headers } }];
  if (name === "typescript") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const transport = http ? new StreamableHTTPClientTransport(...http) : new StdioClientTransport(place);
    const client = new Client(about);
    await client.connect(transport);
    return [number("@modelcontextprotocol/sdk"), transport, client, (call, options) => client.callTool(call, undefined, options)];
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const transport = http ? new StreamableHTTPClientTransport(...http) : new StdioClientTransport(place);
  const client = new Client(about);
  await client.connect(transport);
  return [number("@modelcontextprotocol/client"), transport, client, (call, options) => client.callTool(call, options)];
}

const put = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const [version, transport, client, call] = await opened();
put({ client: name, version, protocol: transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() ?? "" });
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, args, seconds, cancel } = JSON.parse(line);
  const control = new AbortController();
  if (cancel !== undefined) setTimeout(() => control.abort("cancelled"), 1000 * cancel);
  try {
    const result = await call({ name: tool, arguments: args }, { timeout: 1000 * (seconds ?? 60), signal: control.signal });
    put(result.isError ? { error: result.content[0].text } : { data: result.structuredContent });
  } catch (bad) {
    put({ gave_up: `${bad.name ?? "Error"}: ${bad.message ?? bad}`.slice(0, 300) });
  }
}
await client.close();
