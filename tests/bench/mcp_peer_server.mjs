// The smallest server that the TypeScript SDK (@modelcontextprotocol/server 2.x) makes, with one tool, echo: the other side of
// mcp_peer.py. Serves both eras, over standard input and output or, with --http PORT, over Streamable HTTP on 127.0.0.1.
// The SDK is looked for from the working folder.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const resolve = createRequire(process.cwd() + '/').resolve;
const load = name => import(pathToFileURL(resolve(name)));
const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server');
const { z } = await load('zod');

function make() {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Answers with the message it was given.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }) => ({ content: [{ type: 'text', text: message }] }),
  );
  return server;
}

const at = process.argv.indexOf('--http');
if (at < 0) {
  const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
  serveStdio(make);
} else {
  const { toNodeHandler } = await load('@modelcontextprotocol/node');
  const server = createServer(toNodeHandler(createMcpHandler(make)));
  server.listen(Number(process.argv[at + 1]), '127.0.0.1', () =>
    console.error(`listening on http://127.0.0.1:${server.address().port}/mcp`));
}
