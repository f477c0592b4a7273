import { render } from 'preact';
import './style/fonts.css';
import './style/base.css';
import './style/shell.css';
import './style/material.css';
import './style/views.css';
import { enter } from './api/enter.ts';
import { App } from './app.tsx';
import { showTheme } from './parts/theme.ts';

// The server is at work while the rest is made ready.
const entering = enter();
showTheme();
render(<App entering={entering} />, document.getElementById('app')!);
