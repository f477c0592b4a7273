import { render } from 'preact';
import './style/fonts.css';
import './style/base.css';
import './style/shell.css';
import './style/material.css';
import './style/views.css';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme.ts';

applyTheme();
render(<App />, document.getElementById('app')!);
